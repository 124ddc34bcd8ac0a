import { m } from '#lib/paraglide/messages.js';

/** What kind of file it is, in words: “PDF”, “Text”, “Image”. */
export function describeType({
  media_type: type,
  path,
}: {
  readonly media_type: string;
  readonly path: string;
}): string {
  const ending = /\.([a-z0-9]{1,8})$/i.exec(path)?.[1]?.toUpperCase();
  if (type.startsWith('image/')) return m.knowledge_type_image();
  if (ending !== undefined) return ending;
  return type.startsWith('text/') ? m.knowledge_type_text() : m.knowledge_type_file();
}
