import { A2AError } from './errors.ts';

export const PROTOCOL_VERSIONS = ['1.0', '0.3'] as const;
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

export const VERSION_HEADER = 'A2A-Version';

function refuse(message: string): never {
  throw new A2AError('version-not-supported', message, {
    metadata: { supportedVersions: PROTOCOL_VERSIONS.join(', ') },
  });
}

/**
 * Value of `A2A-Version`: Major.Minor, a patch number has no meaning (A2A 1.0, section 3.6). Empty is absent. Throws
 * `version-not-supported`.
 */
export function parseVersion(value: string | null | undefined): ProtocolVersion | undefined {
  const text = value?.trim() ?? '';
  if (text === '') return undefined;
  const version = /^(\d+\.\d+)(?:\.\d+)?$/.exec(text)?.[1];
  const known = PROTOCOL_VERSIONS.find((supported) => supported === version);
  if (known !== undefined) return known;
  // A client may send anything here: only what looks like a version is repeated.
  const named = version === undefined ? 'This A2A version' : `A2A version ${version.slice(0, 16)}`;
  refuse(`${named} is not supported. Supported versions: ${PROTOCOL_VERSIONS.join(', ')}`);
}

export interface VersionSources {
  header?: string | null | undefined;
  /** `?A2A-Version=`, for clients that cannot set a header; the header wins. */
  query?: string | null | undefined;
  /** Version that the method name or the route belongs to; `undefined` for an unknown method. */
  methodVersion?: ProtocolVersion | undefined;
  /** Take a missing version as 0.3, as section 3.6 has it, instead of as the version of the method. */
  strict?: boolean;
}

/** The version that both sides speak. Throws `version-not-supported`; call it before any lookup. */
export function agreeVersion({
  header,
  query,
  methodVersion,
  strict = false,
}: VersionSources): ProtocolVersion {
  const asked = parseVersion(header) ?? parseVersion(query);
  if (methodVersion === undefined) return asked ?? (strict ? '0.3' : '1.0');
  if (asked === undefined) {
    if (strict && methodVersion !== '0.3') {
      refuse(`This method belongs to A2A ${methodVersion}: send ${VERSION_HEADER}: ${methodVersion}`);
    }
    return methodVersion;
  }
  if (asked !== methodVersion)
    refuse(`This method belongs to A2A ${methodVersion}, the request asks for ${asked}`);
  return methodVersion;
}
