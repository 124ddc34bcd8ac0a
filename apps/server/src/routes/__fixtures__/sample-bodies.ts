/** A small rubric that is valid. */
export const sampleRubric = {
  title: 'Essay',
  description: 'How essays are assessed',
  criteria: [
    {
      id: 'c1',
      name: 'Clarity',
      description: 'Whether one understands it',
      weight: 100,
      order: 0,
      levels: [
        { id: 'l1', score: 4, label: 'Clear', description: 'Every sentence', order: 0 },
        { id: 'l2', score: 1, label: 'Unclear', description: 'Hardly any', order: 1 },
      ],
    },
  ],
  scoringType: 'points',
  maxScore: 10,
};

const messages = [{ role: 'user', content: 'Hello' }];

/** A JSON body that each route with one accepts, by the route's name. */
export const sampleBodies: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'POST /v1/chat/completions': { model: 'lamb_assistant.1', messages },
  'POST /lamb/v1/completions': { messages },
  'POST /lamb/v1/completions/tools/:name/validate': { collections: ['1'] },
  'POST /lamb/v1/assistants': { name: 'Tutor' },
  'POST /lamb/v1/assistants/validate': { name: 'Tutor' },
  'POST /lamb/v1/assistants/import': { name: 'Imported', system_prompt: 'Help.', metadata: '{}' },
  'PATCH /lamb/v1/assistants/:id': { description: 'Changed' },
  'POST /lamb/v1/assistants/:id/convert/undo': { discard_changes: true },
  'PUT /lamb/v1/assistants/:id/shares': { emails: [] },
  'PUT /lamb/v1/assistants/:id/workspace/files': { text: 'Text' },
  'POST /lamb/v1/assistants/:id/workspace/restore': { path: 'workspace.md', version: 1 },
  'POST /lamb/v1/rubrics': { rubric: sampleRubric },
  'PUT /lamb/v1/rubrics/:id': { rubric: sampleRubric },
  'POST /lamb/v1/chats': { assistant_id: 1 },
  'POST /lamb/v1/chats/:id/turns': { content: 'Hello' },
  'POST /lamb/v1/runs/:id/calls/:call_id/decision': { decision: 'approved' },
  'POST /lamb/v1/keys': { name: 'Script' },
  'PUT /lamb/v1/organizations/current/config': { setups: {} },
  'PUT /lamb/v1/organizations/current/budgets': { organization: { tokens: null, cost_micros: null } },
  'PUT /lamb/v1/organizations/current/prices': { prices: [] },
};
