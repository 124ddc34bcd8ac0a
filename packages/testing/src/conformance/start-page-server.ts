import { listen, type Listening } from '../http/listen.ts';

/** A page of the web, and a sentence that stands in it. */
export interface PageServer extends Listening {
  readonly page: { readonly url: string; readonly sentence: string };
}

/** Serves one page as a lecturer's site would have it. */
export async function startPageServer(): Promise<PageServer> {
  const sentence = 'Tides follow the moon around the earth.';
  const html = `<!doctype html><html lang="en"><head><title>Tides</title></head><body><main><h1>Tides</h1>
<p>${sentence} Twice a day the water rises and falls, and in narrow bays it rises higher than anywhere else.</p>
<p>Sailors have written tables of them for centuries, long before anybody could say why the water moves.</p></main></body></html>`;
  const server = await listen((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
  });
  return { ...server, page: { url: `${server.url}/tides.html`, sentence } };
}
