import type { Kysely } from 'kysely';
import type { ApiKeyTable } from './api-keys.ts';
import type { AssistantConversionTable } from './assistant-conversions.ts';
import type { AssistantShareTable } from './assistant-shares.ts';
import type { AssistantTable } from './assistants.ts';
import type { AuditLogTable } from './audit-log.ts';
import type { ChatMessageTable, ChatTable } from './chats.ts';
import type { ChunkDraftTable, DocumentDraftTable } from './chunk-drafts.ts';
import type {
  ChunkLexemeTable,
  ChunkTable,
  ChunkVectorTable,
  LexemeFrequencyTable,
  LexemeStatsTable,
} from './chunks.ts';
import type { CollectionShareTable } from './collection-shares.ts';
import type { CollectionTable } from './collections.ts';
import type { DocumentTextTable } from './document-texts.ts';
import type { DocumentContentTable, DocumentTable } from './documents.ts';
import type { ExecutorTable } from './executors.ts';
import type { OrganizationCapsTable, UserCapsTable } from './budget-caps.ts';
import type { BudgetCounterTable } from './budget-counters.ts';
import type { BudgetReservationTable } from './budgets.ts';
import type { FileContentTable, FileTable } from './files.ts';
import type { InvitationTable } from './invitations.ts';
import type { JobTable } from './jobs.ts';
import type { MemberTable } from './memberships.ts';
import type { ModelPriceTable } from './model-prices.ts';
import type { OrganizationSecretTable } from './organization-secrets.ts';
import type { OrganizationSettingsTable } from './organization-settings.ts';
import type { OrganizationTable } from './organizations.ts';
import type { RubricTable } from './rubrics.ts';
import type { SessionTable } from './sessions.ts';
import type { RunEventTable } from './run-events.ts';
import type { RunTraceTable } from './run-traces.ts';
import type { RunEffectTable, RunLeaseTable, RunTable } from './runs.ts';
import type { UsageDailyTable } from './usage-daily.ts';
import type { UsageLedgerTable } from './usage-ledger.ts';
import type { AccountTable, UserTable } from './users.ts';
import type { VectorIndexTable } from './vector-indexes.ts';
import type { WorkspaceBackupTable, WorkspaceFileTable } from './workspace-files.ts';
import type { WorkspaceTable } from './workspaces.ts';

/** The tables as the application sees them. Of better-auth's, only what the look-ups here read. */
export interface Database {
  'auth.account': AccountTable;
  'auth.apikey': ApiKeyTable;
  'auth.member': MemberTable;
  'auth.organization': OrganizationTable;
  'auth.session': SessionTable;
  'auth.user': UserTable;
  'lamb.assistant_conversions': AssistantConversionTable;
  'lamb.assistant_shares': AssistantShareTable;
  'lamb.assistants': AssistantTable;
  'lamb.audit_log': AuditLogTable;
  'lamb.budget_counters': BudgetCounterTable;
  'lamb.budget_reservations': BudgetReservationTable;
  'lamb.chat_messages': ChatMessageTable;
  'lamb.chats': ChatTable;
  'lamb.chunk_drafts': ChunkDraftTable;
  'lamb.chunk_lexemes': ChunkLexemeTable;
  'lamb.chunk_vectors': ChunkVectorTable;
  'lamb.chunks': ChunkTable;
  'lamb.collection_shares': CollectionShareTable;
  'lamb.collections': CollectionTable;
  'lamb.document_contents': DocumentContentTable;
  'lamb.document_drafts': DocumentDraftTable;
  'lamb.document_texts': DocumentTextTable;
  'lamb.documents': DocumentTable;
  'lamb.lexeme_frequencies': LexemeFrequencyTable;
  'lamb.lexeme_stats': LexemeStatsTable;
  'ops.vector_indexes': VectorIndexTable;
  'ops.executors': ExecutorTable;
  'ops.jobs': JobTable;
  'lamb.file_contents': FileContentTable;
  'lamb.files': FileTable;
  'lamb.invitations': InvitationTable;
  'lamb.model_prices': ModelPriceTable;
  'lamb.organization_caps': OrganizationCapsTable;
  'lamb.organization_secrets': OrganizationSecretTable;
  'lamb.organization_settings': OrganizationSettingsTable;
  'lamb.rubrics': RubricTable;
  'lamb.run_effects': RunEffectTable;
  'lamb.run_events': RunEventTable;
  'ops.run_leases': RunLeaseTable;
  'lamb.run_traces': RunTraceTable;
  'lamb.runs': RunTable;
  'lamb.usage_daily': UsageDailyTable;
  'lamb.usage_ledger': UsageLedgerTable;
  'lamb.user_caps': UserCapsTable;
  'lamb.workspace_backups': WorkspaceBackupTable;
  'lamb.workspace_files': WorkspaceFileTable;
  'lamb.workspaces': WorkspaceTable;
}

/** The pool. Tables of an organisation are reached through `withTenant`; on the bare pool they are empty. */
export type Db = Kysely<Database>;

/** Where a query about credentials may run: on the pool, or inside a tenant's transaction. */
export type DbOrTx = Pick<
  Db,
  'selectFrom' | 'insertInto' | 'updateTable' | 'deleteFrom' | 'with' | 'fn' | 'executeQuery' | 'getExecutor'
>;
