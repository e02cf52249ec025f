/** Every path from `/agents` on, as a route handler of Next. */
import { parley } from '../../../parley.ts';

export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';

const handle = (request: Request): Response | Promise<Response> => parley.fetch(request);

export { handle as DELETE, handle as GET, handle as OPTIONS, handle as PATCH, handle as POST };
