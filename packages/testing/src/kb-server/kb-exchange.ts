export interface KbRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  contentType: string;
  body: Buffer;
  /** The server's own address, for links to files. */
  origin: string;
}

export interface KbAnswer {
  status: number;
  body: unknown;
}
