import { supportedFormats } from './detect-format.ts';

const messages = {
  password_protected:
    'The document is protected with a password. Save a copy without the password and upload that one.',
  corrupt:
    'The document is damaged or incomplete. Open it in the program it was made with, save it again and upload the new file.',
  no_text:
    'No text was found in the document; it probably consists of scanned pictures. Run text recognition (OCR) over it, or upload a version with text.',
  too_large_unpacked:
    'The document becomes too large when it is unpacked. Leave out what is not text, or split it into several documents.',
  too_much_text: 'The document holds more text than one document may have. Split it into several documents.',
  took_too_long: 'Reading the document took too long. Split it into several documents, or save it in another format.',
  too_much_memory:
    'Reading the document took too much memory. Split it into several documents, or save it in another format.',
  unsupported_format: `This kind of file cannot be read. Supported are ${supportedFormats}.`,
} as const;

export type ExtractionFailureCode = keyof typeof messages;

/** Why a document could not be read, in words for the person who uploaded it. */
export class ExtractionFailure extends Error {
  override readonly name = 'ExtractionFailure';
  readonly code: ExtractionFailureCode;

  constructor(code: ExtractionFailureCode, options?: ErrorOptions) {
    super(messages[code], options);
    this.code = code;
  }
}
