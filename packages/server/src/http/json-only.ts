import { A2AError } from '@parley/protocol';

/** A page of another origin can send everything but JSON without asking first. */
export function assertJson(request: Request): void {
  const type = request.headers.get('content-type');
  if (type === null || /^application\/(?:a2a\+)?json\s*(?:;|$)/i.test(type)) return;
  throw new A2AError('content-type-not-supported', 'The body must be application/json');
}
