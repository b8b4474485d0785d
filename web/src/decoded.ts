// Parts of an address.

/** A part of the address as it was before it was encoded; one that was not stays as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
