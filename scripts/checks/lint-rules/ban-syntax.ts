import type { Rule } from 'eslint';

/** A lint rule that refuses what any of the selectors finds, and says why and what to do instead. */
export function banSyntax(why: string, selectors: readonly string[]): Rule.RuleModule {
  return {
    meta: { type: 'problem', schema: [], messages: { why } },
    create: (context) => ({
      [selectors.join(', ')](node: Rule.Node) {
        context.report({ node, messageId: 'why' });
      },
    }),
  };
}
