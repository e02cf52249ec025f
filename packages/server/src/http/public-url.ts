export interface UrlOptions {
  /** Where clients reach this server; wins over everything a request says. */
  publicUrl?: string;
  /** `X-Forwarded-*` come from a proxy of ours. */
  trustProxy: boolean;
  /** Where an application has mounted this server. */
  mountPrefix?: string;
}

/** The endpoint of an assistant as its caller can reach it: absolute, and never an address that means "any". */
export function endpointUrl(request: Request, pathName: string, options: UrlOptions): string {
  const path = `a2a/${encodeURIComponent(pathName)}`;
  return new URL(path, baseUrl(request, options)).href;
}

function baseUrl(request: Request, { publicUrl, trustProxy, mountPrefix = '' }: UrlOptions): string {
  if (publicUrl !== undefined) return withSlash(publicUrl);
  const url = new URL(request.url);
  /** What the outermost proxy says, if it looks like one of these. */
  const forwarded = (name: string, form: RegExp): string | undefined => {
    const said = trustProxy ? request.headers.get(`x-forwarded-${name}`)?.split(',')[0]?.trim() : undefined;
    return said !== undefined && form.test(said) ? said : undefined;
  };
  const protocol = forwarded('proto', /^https?$/) ?? url.protocol.replace(':', '');
  const host = forwarded('host', HOST) ?? url.host;
  const reachable = host.replace(/^(?:0\.0\.0\.0|\[::\])(?=:|$)/, 'localhost');
  const outside = forwarded('prefix', /^\/[^\s?#]*$/)?.replace(/\/+$/, '') ?? '';
  return withSlash(`${protocol}://${reachable}${outside}${mountPrefix}`);
}

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}
