export { describeKbServer, type KbServerUnderTest } from './describe-kb-server.ts';
export { startPageServer, type PageServer } from './start-page-server.ts';
