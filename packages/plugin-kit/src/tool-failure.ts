/** Thrown by a tool or a host when it cannot do its work; the message is shown to the creator, so it must carry no secret and no document text. */
export class ToolFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ToolFailure';
  }
}

/** Thrown when a tool or a host could do its work but is not allowed to; the message says why. */
export class ToolRefusal extends ToolFailure {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ToolRefusal';
  }
}
