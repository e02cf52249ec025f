import type { cors } from 'hono/cors';
import type { CorsSettings } from '../config/settings.ts';

/** LangGraph's client reads them. */
const PAGINATION = ['x-pagination-next', 'x-pagination-total'];

export function corsOptions(settings: CorsSettings): NonNullable<Parameters<typeof cors>[0]> {
  const origins = settings.allow_origins ?? [];
  const pattern =
    settings.allow_origin_regex === undefined
      ? undefined
      : new RegExp(`^(?:${settings.allow_origin_regex})$`);
  const allowed = (origin: string): boolean =>
    origins.includes('*') || origins.includes(origin) || pattern?.test(origin) === true;
  return {
    origin: (origin) => (allowed(origin) ? origin : null),
    ...(settings.allow_methods ? { allowMethods: settings.allow_methods } : {}),
    ...(settings.allow_headers ? { allowHeaders: settings.allow_headers } : {}),
    exposeHeaders: [...(settings.expose_headers ?? []), ...PAGINATION],
    ...(settings.allow_credentials === undefined ? {} : { credentials: settings.allow_credentials }),
    ...(settings.max_age === undefined ? {} : { maxAge: settings.max_age }),
  };
}
