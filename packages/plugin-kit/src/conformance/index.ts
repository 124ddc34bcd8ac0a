export { describeTool } from './describe-tool.ts';
