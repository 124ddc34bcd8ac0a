import { describeKbServer } from '../conformance/describe-kb-server.ts';
import { startPageServer } from '../conformance/start-page-server.ts';
import { startKbServer } from './start-kb-server.ts';

describeKbServer('the testing server', async () => {
  const [server, pages] = await Promise.all([startKbServer(), startPageServer()]);
  return {
    url: server.url,
    token: server.token,
    page: pages.page,
    async stop() {
      await Promise.all([server.stop(), pages.stop()]);
    },
  };
});
