export interface UrlOptions {
  /** Where clients reach this server; wins over everything a request says. */
  publicUrl?: string;
  /** `X-Forwarded-*` come from a proxy of ours. */
  trustProxy: boolean;
}

/** The endpoint of an assistant as its caller can reach it: absolute, and never an address that means "any". */
export function endpointUrl(request: Request, graphId: string, options: UrlOptions): string {
  const path = `a2a/${encodeURIComponent(graphId)}`;
  return new URL(path, baseUrl(request, options)).href;
}

function baseUrl(request: Request, { publicUrl, trustProxy }: UrlOptions): string {
  if (publicUrl !== undefined) return withSlash(publicUrl);
  const url = new URL(request.url);
  const forwarded = (name: string): string | undefined =>
    trustProxy ? request.headers.get(`x-forwarded-${name}`)?.split(',')[0]?.trim() : undefined;
  const protocol = forwarded('proto') ?? url.protocol.replace(':', '');
  const host = forwarded('host') ?? url.host;
  const reachable = host.replace(/^(?:0\.0\.0\.0|\[::\])(?=:|$)/, 'localhost');
  return withSlash(`${protocol}://${reachable}${forwarded('prefix') ?? ''}`);
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}
