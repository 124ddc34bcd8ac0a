/** What can be done with an assistant from its menu. */
export type Action = 'duplicate' | 'share' | 'publish' | 'convert' | 'export' | 'delete';
