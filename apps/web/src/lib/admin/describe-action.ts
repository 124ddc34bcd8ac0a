import { m } from '#lib/paraglide/messages.js';

/** What may stand in the audit log, and what people call it. */
const texts: Readonly<Record<string, () => string>> = {
  'assistant.created': m.admin_did_assistant_created,
  'assistant.changed': m.admin_did_assistant_changed,
  'assistant.deleted': m.admin_did_assistant_deleted,
  'assistant.restored': m.admin_did_assistant_restored,
  'assistant.duplicated': m.admin_did_assistant_duplicated,
  'assistant.imported': m.admin_did_assistant_imported,
  'assistant.shared': m.admin_did_assistant_shared,
  'assistant.published': m.admin_did_assistant_published,
  'assistant.unpublished': m.admin_did_assistant_unpublished,
  'assistant.converted': m.admin_did_assistant_converted,
  'assistant.call_refused': m.admin_did_assistant_call_refused,
  'collection.created': m.admin_did_collection_created,
  'collection.changed': m.admin_did_collection_changed,
  'collection.deleted': m.admin_did_collection_deleted,
  'collection.shared': m.admin_did_collection_shared,
  'collection.reindexed': m.admin_did_collection_reindexed,
  'collection.document_added': m.admin_did_collection_document_added,
  'collection.document_deleted': m.admin_did_collection_document_deleted,
  'rubric.showcased': m.admin_did_rubric_showcased,
  'rubric.unshowcased': m.admin_did_rubric_unshowcased,
  'chat.shared': m.admin_did_chat_shared,
  'chat.unshared': m.admin_did_chat_unshared,
  'key.created': m.admin_did_key_created,
  'key.revoked': m.admin_did_key_revoked,
  'invitation.created': m.admin_did_invitation_created,
  'invitation.revoked': m.admin_did_invitation_revoked,
  'member.joined': m.admin_did_member_joined,
  'member.role_changed': m.admin_did_member_role_changed,
  'member.enabled': m.admin_did_member_enabled,
  'member.disabled': m.admin_did_member_disabled,
  'member.email_confirmed': m.admin_did_member_email_confirmed,
  'member.email_doubted': m.admin_did_member_email_doubted,
  'member.removed': m.admin_did_member_removed,
  'organization.configured': m.admin_did_organization_configured,
  'organization.budgets_changed': m.admin_did_organization_budgets_changed,
  'organization.prices_changed': m.admin_did_organization_prices_changed,
};

/** What was done, in words; an action without them is shown as it is written. */
export function describeAction(action: string): string {
  return texts[action]?.() ?? action;
}

/** What can be filtered for: kinds of things, then single actions. */
export function listActionFilters(): { value: string; label: string }[] {
  const kinds = {
    assistant: m.shell_nav_assistants(),
    collection: m.shell_nav_knowledge_bases(),
    rubric: m.shell_nav_rubrics(),
    chat: m.shell_nav_chats(),
    member: m.admin_members(),
    invitation: m.admin_invitations(),
    key: m.admin_keys(),
    organization: m.admin_audit_settings(),
  };
  return [
    { value: '', label: m.admin_audit_everything() },
    ...Object.entries(kinds).map(([value, label]) => ({ value, label })),
    ...Object.entries(texts).map(([value, say]) => ({ value, label: say() })),
  ];
}
