import { banSyntax } from './ban-syntax.ts';

const mock = "CallExpression[callee.object.name='vi'][callee.property.name=/^(mock|doMock)$/]";
const ours = '[value=/^(\\.|@lamb\\u002F)/]';

/** Tests run our code as it is. */
export const ownMocks = banSyntax(
  'A mock of our own code passes whatever the code becomes. Use the real thing (packages/testing has real servers and ' +
    'databases), or pass a stand-in through the port or argument that is meant for it.',
  [`${mock} > Literal.arguments:first-child${ours}`, `${mock} > ImportExpression.arguments > Literal${ours}`],
);
