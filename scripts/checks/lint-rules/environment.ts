import { banSyntax } from './ban-syntax.ts';

/** Only `config.ts` knows environment variables; an entry point hands it the environment as `readConfig(process.env)`. */
export const environment = banSyntax(
  'Nothing but apps/server/src/config.ts reads the environment: declare the variable there, where it is validated, ' +
    'and pass the value as an argument. An entry point may call `readConfig(process.env)`.',
  [
    "MemberExpression[object.name='process'][property.name='env']:not(CallExpression[callee.name=/^read\\w*Config$/] > *)",
    "MemberExpression[object.name='process'][property.value='env']",
    "VariableDeclarator[init.name='process'] > ObjectPattern > Property[key.name='env']",
    "ImportDeclaration[source.value=/^(node:)?process$/] > ImportSpecifier[imported.name='env']",
  ],
);
