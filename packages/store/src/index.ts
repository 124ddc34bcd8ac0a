export {
  createApiKey,
  digestApiKey,
  findApiKey,
  findApiKeyByDigest,
  listApiKeys,
  listHeldApiKeys,
  noteApiKeyUse,
  revokeApiKey,
  type ApiKey,
  type FoundApiKey,
  type HeldApiKey,
  type NewApiKey,
} from './api-keys.ts';
export {
  findAssistantByName,
  getAssistantAccess,
  getDeletedAssistantAccess,
  type AssistantAccess,
} from './assistant-access.ts';
export {
  convertAssistant,
  getAssistantConversion,
  undoAssistantConversion,
  type AssistantConversion,
} from './assistant-conversions.ts';
export { publishAssistant, unpublishAssistant, type NewPublication } from './assistant-publications.ts';
export { listAssistantShares, shareAssistant, unshareAssistant, type AssistantShare } from './assistant-shares.ts';
export {
  createAssistant,
  deleteAssistant,
  getAssistant,
  restoreAssistant,
  transferAssistant,
  updateAssistant,
  type Assistant,
  type AssistantContent,
  type AssistantPublication,
  type AssistantType,
  type NewAssistant,
} from './assistants.ts';
export { listAuditEntries, recordAudit, type AuditEntry, type NewAuditEntry } from './audit-log.ts';
export {
  getBudgetCaps,
  getCapsFor,
  hasBudgetCaps,
  putBudgetCaps,
  setUserCaps,
  type BudgetCaps,
  type Caps,
} from './budget-caps.ts';
export { readCounter, type Spend } from './budget-counters.ts';
export { findBudgetMonth } from './budget-month.ts';
export { countSpend, reserveBudget, settleBudget, type BudgetCap, type BudgetRefusal } from './budgets.ts';
export {
  countDrafts,
  discardDrafts,
  listUncutDocuments,
  listWaitingDrafts,
  putDraftEmbeddings,
  putDrafts,
  reuseEmbeddings,
  type DraftKey,
  type DraftProgress,
  type WaitingDraft,
} from './chunk-drafts.ts';
export { findChunkAt, listChunks, type NewChunk, type StoredChunk } from './chunks.ts';
export {
  findReadableCollections,
  getCollectionAccess,
  isCollectionReadable,
  type CollectionAccess,
} from './collection-access.ts';
export { listCollectionShares, shareCollection, unshareCollection, type CollectionShare } from './collection-shares.ts';
export {
  beginReindex,
  createCollection,
  deleteCollection,
  endReindex,
  getCollection,
  updateCollection,
  type Collection,
  type CollectionChange,
  type CollectionChunking,
  type CollectionEmbedding,
  type CollectionIndexing,
  type CollectionRanking,
  type CollectionVisibility,
  type NewCollection,
  type SearchableCollection,
} from './collections.ts';
export type { Database, Db, DbOrTx } from './database.ts';
export {
  getDocumentBlocks,
  getDocumentText,
  hasDocumentText,
  putDocumentText,
  type DocumentText,
} from './document-texts.ts';
export {
  createDocument,
  deleteDocument,
  getDocument,
  getDocumentByNumber,
  listDocuments,
  listDocumentsById,
  listUnsettledDocuments,
  readDocumentContent,
  updateDocument,
  type DocumentChange,
  type NewDocument,
  type StoredDocument,
  type StoredProblem,
  type StoredDocumentStatus,
} from './documents.ts';
export {
  createFile,
  deleteFile,
  getFile,
  getFileByPath,
  listFiles,
  readFileContent,
  sumStorage,
  type FileContent,
  type FileListRequest,
  type NewFile,
  type StoredFile,
} from './files.ts';
export {
  acceptInvitation,
  createInvitation,
  findInvitation,
  listInvitations,
  noteAcceptance,
  reopenInvitation,
  revokeInvitation,
  type Invitation,
} from './invitations.ts';
export { isNameTaken } from './is-name-taken.ts';
export {
  createJob,
  endJobs,
  findJobs,
  holdJob,
  isJobHeld,
  isJobOpen,
  JobLost,
  listUnstartedDocuments,
  takeJob,
  type Job,
  type NewJob,
} from './jobs.ts';
export type { Page, PageRequest } from './keyset.ts';
export {
  listAssistants,
  type AssistantListRequest,
  type AssistantScope,
  type AssistantSort,
  type AssistantSummary,
} from './list-assistants.ts';
export { removeMember, updateMember } from './member-changes.ts';
export {
  addMember,
  findMembership,
  getMember,
  listMembers,
  listMembershipsOfUser,
  noteVisit,
  type Member,
  type Membership,
} from './memberships.ts';
export {
  createChat,
  deleteChat,
  findSharedChat,
  getChat,
  listChatMessages,
  listChats,
  renameChat,
  shareChat,
  unshareChat,
  type Chat,
  type ChatListRequest,
  type StoredChatMessage,
} from './chats.ts';
export { forgetExecutors, listExecutors, recordDeparture, recordHeartbeat } from './executors.ts';
export { forgetRuns } from './forget-runs.ts';
export {
  appendRunEvents,
  keepRunEventPartitions,
  listCallEvents,
  listRunEvents,
  RUN_EVENT_PAGE,
  summarizeRunEvents,
  type NewRunEvent,
} from './run-events.ts';
export {
  beginRunEffect,
  createRun,
  endRun,
  findActiveRun,
  findRunUnderWay,
  getRun,
  isRunOver,
  setRunStatus,
  takeRunLease,
  type RunStatus,
  type StoredRun,
} from './runs.ts';
export { listCollections, type CollectionListRequest } from './list-collections.ts';
export { migrate, readMigrationStatus, type MigrationOptions, type MigrationStatus } from './migrate.ts';
export { listModelPrices, listUnpricedModels, putModelPrices, type ModelPrice } from './model-prices.ts';
export { openDatabase, type DatabaseOptions } from './open-database.ts';
export { deleteSecret, getSecret, listSecretNames, putSecret, rotateSecrets } from './organization-secrets.ts';
export {
  getOrganizationConfig,
  getOrganizationConfigWithSecrets,
  getVersionedConfig,
  patchOrganizationConfig,
  putOrganizationConfig,
  SIGN_UP_KEY,
} from './organization-settings.ts';
export { findOrganizationBySlug, listOpenSlugs, type Organization, type OrganizationStatus } from './organizations.ts';
export { executePrepared } from './prepared-statements.ts';
export { publishCollectionDrafts, publishDocumentDrafts, type PublishOutcome } from './publish-drafts.ts';
export { requireIsolatedRole } from './require-isolated-role.ts';
export {
  createRubric,
  deleteRubric,
  getRubric,
  listRubrics,
  updateRubric,
  type NewRubric,
  type RubricContent,
  type RubricListRequest,
  type RubricSummary,
  type StoredRubric,
} from './rubrics.ts';
export { listRunTraces, putRunTrace, type StoredRunTrace } from './run-traces.ts';
export { lockCollection } from './lock-collection.ts';
export { tellNews } from './tell-news.ts';
export { createSecretBox, type SealedSecret, type SecretBox, type SecretKeys } from './secret-box.ts';
export { setActiveOrganization } from './sessions.ts';
export { countBelongings, discardAssistants, transferBelongings, type Belongings } from './transfer-belongings.ts';
export {
  listDailyUsage,
  listUsageRows,
  sumUsageOfUsers,
  type DailyUsage,
  type SeriesGrouping,
  type UsageFilter,
  type UsageRow,
} from './usage-daily.ts';
export {
  recordUsage,
  recordUsageBatch,
  sumUsage,
  sumUsageBy,
  type OrganizationUsage,
  type UsageEntry,
  type UsageGroup,
  type UsageGrouping,
  type UsageTotal,
} from './usage-ledger.ts';
export {
  findMembersByEmail,
  findUser,
  findUserByEmail,
  getProfile,
  updateProfile,
  type Profile,
  type User,
  type UserKind,
} from './users.ts';
export { keepVectorIndexes, reviewVectorIndex, VECTOR_INDEX_CHUNKS, type VectorIndexStep } from './vector-indexes.ts';
export { formatVector } from './vector-text.ts';
export { readTenant, withTenant, type TenantTx } from './with-tenant.ts';
export {
  deleteWorkspaceBackups,
  deleteWorkspaceFile,
  listWorkspaceBackups,
  listWorkspaceFiles,
  putWorkspaceFile,
  readWorkspaceFile,
  readWorkspaceFiles,
  replaceWorkspaceFile,
  restoreWorkspaceFile,
  type NewWorkspaceText,
  type StoredWorkspaceFile,
  type WorkspaceText,
} from './workspace-files.ts';
export {
  ensureWorkspace,
  findWorkspace,
  sumWorkspace,
  WORKSPACE_QUOTA_BYTES,
  type Workspace,
  type WorkspaceKey,
} from './workspaces.ts';
export { isDatabaseGone, retryWhileDatabaseIsGone } from './retry-while-database-is-gone.ts';
