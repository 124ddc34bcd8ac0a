import { relative, sep } from 'node:path';
import type { Rule } from 'eslint';

const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const pascalCase = /^([A-Z][a-z0-9]*)+$/;
// SvelteKit's own: `+page`, `(group)`, `[parameter]`, `[...rest]`.
const routeName = /^\+|^\([a-z-]+\)$|^\[+(\.{3})?[a-z_]+\]+$/;
const fixtures = '__fixtures__';
// As any word of a name, or only as the whole of it: `find-common-prefix` says something, `common` does not.
const emptyWords = new Set(['util', 'utils', 'helper', 'helpers', 'manager', 'managers']);
const emptyNames = new Set(['common', 'types']);

/** Files and folders are named in kebab-case, after the one thing they hold. */
export const fileName: Rule.RuleModule = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      kebab:
        '"{{name}}" is not kebab-case. A file is named after its main export: `compilePlan` lives in `compile-plan.ts`.',
      pascal:
        '"{{name}}" is not in PascalCase. A component is named as it is used: `<PageHeader>` lives in `PageHeader.svelte`.',
      empty:
        '"{{name}}" does not say what is inside. Name the file after its main export and keep it to that one thing; ' +
        'put what else it holds beside its only caller. Types live with the schema or function they belong to.',
    },
  },
  create(context) {
    return {
      Program(node) {
        for (const name of relative(context.cwd, context.filename).split(sep)) {
          const stem = name.replace(/\..*$/, '');
          if (name === fixtures || stem === '' || routeName.test(name)) continue;
          if (name.endsWith('.svelte')) {
            if (!pascalCase.test(stem)) context.report({ node, messageId: 'pascal', data: { name } });
            continue;
          }
          if (!kebabCase.test(stem)) context.report({ node, messageId: 'kebab', data: { name } });
          else if (emptyNames.has(stem) || stem.split('-').some((word) => emptyWords.has(word)))
            context.report({ node, messageId: 'empty', data: { name } });
        }
      },
    };
  },
};
