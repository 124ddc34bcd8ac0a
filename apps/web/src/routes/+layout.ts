/** A single-page app: the server knows no pages, only `200.html`. */
export const ssr = false;
export const prerender = false;
