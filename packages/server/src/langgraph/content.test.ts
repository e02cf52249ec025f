import { describe, expect, it } from 'vitest';
import { partsOfContent } from './content.ts';

const file = (data: unknown) => partsOfContent([{ type: 'file', mimeType: 'text/plain', data }]);

describe('a file that an agent made', () => {
  it.each([
    ['standard base64', '+/8=', '+/8='],
    ['base64url without padding', '-_8', '+/8='],
    ['bytes', new Uint8Array([0xfb, 0xff]), '+/8='],
    ['text that is no base64', 'a, b!', Buffer.from('a, b!').toString('base64')],
  ])('goes out unchanged from %s', (_, data, raw) => {
    expect(file(data)).toEqual([{ raw, mediaType: 'text/plain' }]);
  });

  it('goes out from a data URL, and stays a URL where that holds no base64', () => {
    const image = (url: string) => partsOfContent([{ type: 'image_url', image_url: { url } }]);
    expect(image('data:image/png;base64,-_8')).toEqual([{ raw: '+/8=', mediaType: 'image/png' }]);
    expect(image('data:image/png;base64,?')).toEqual([{ url: 'data:image/png;base64,?' }]);
  });
});
