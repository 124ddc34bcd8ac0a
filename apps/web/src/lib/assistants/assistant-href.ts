/** Where an assistant is worked on: each type has addresses of its own. */
export function assistantHref({ id, assistant_type }: { id: number; assistant_type: string }): string {
  return `${assistant_type === 'multi_tool' ? '/multi-tool-assistants' : '/assistants'}/${String(id)}`;
}
