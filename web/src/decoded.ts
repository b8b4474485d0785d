// Decoding parts of an address.

/** The decoded part of an address; text that is not valid encoding stays as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
