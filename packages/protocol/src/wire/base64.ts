const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/**
 * Standard padded base64 of base64 or base64url, padded or not; `undefined` if it is neither. Bits after the last byte
 * are cleared, so that equal bytes are equal text.
 */
export function normaliseBase64(text: string): string | undefined {
  const match = /^([A-Za-z0-9+/_-]*)(={0,2})$/.exec(text);
  if (match === null) return undefined;
  const [, digits = '', padding = ''] = match;
  const rest = digits.length % 4;
  if (rest === 1 || (padding !== '' && (rest === 0 || rest + padding.length !== 4))) return undefined;
  const standard = /[-_]/.test(digits) ? digits.replaceAll('-', '+').replaceAll('_', '/') : digits;
  if (rest === 0) return standard;
  const last = ALPHABET.indexOf(standard.charAt(standard.length - 1));
  const cleared = ALPHABET.charAt(rest === 2 ? last & 0b110000 : last & 0b111100);
  return standard.slice(0, -1) + cleared + '='.repeat(4 - rest);
}
