import { DatabaseError } from 'pg'

const setUrl = 'set store.url (NINEFOLD_STORE_URL)'
const trust =
  'name the authority that signed it (sslrootcert=<file> in store.url), or have the database show one for this host'

/**
 * The faults of an unusable database and their remedies, keyed by SQLSTATE (postgresql.org/docs, appendix A), or by
 * codes of the system and of TLS.
 */
const faults: Readonly<Record<string, string>> = {
  ECONNREFUSED: `cannot be reached: nothing listens there; start the database, or ${setUrl}`,
  ECONNRESET: 'closes connections before it answers; look after the database and what stands before it',
  ENOTFOUND: `cannot be reached: no machine has this name; ${setUrl}`,
  EAI_AGAIN: `cannot be reached: its name cannot be looked up now; look after the network, or ${setUrl}`,
  EHOSTUNREACH: `cannot be reached: no way leads there; look after the network, or ${setUrl}`,
  ENETUNREACH: `cannot be reached: no way leads there; look after the network, or ${setUrl}`,
  ETIMEDOUT: `cannot be reached: it does not answer; look after the database and the network, or ${setUrl}`,
  '28000': 'refuses this user; allow the user there (pg_hba.conf), or add sslmode=require when it wants TLS',
  '28P01': `refuses the user or the password; ${setUrl} to those that it knows`,
  '3D000': `has no database of this name; make it (CREATE DATABASE ... ENCODING 'UTF8'), or ${setUrl}`,
  '25006': `cannot be written: it is a replica or set to read only; ${setUrl} to the server that is written`,
  '42501': 'refuses this user what it needs; allow the user to make tables there (GRANT CREATE ON SCHEMA)',
  '53100': 'has no room: its disk is full; make room and start again',
  '53300': 'has too many connections; raise max_connections there, or end other servers',
  '57P03': 'is about to start or to end; start again when it is ready',
  CERT_HAS_EXPIRED: 'shows a certificate that has expired; renew it there',
  ERR_TLS_CERT_ALTNAME_INVALID: `shows a certificate of another host; ${setUrl} to the host that it names, or ${trust}`,
  DEPTH_ZERO_SELF_SIGNED_CERT: `shows a certificate that nobody known has signed; ${trust}`,
  SELF_SIGNED_CERT_IN_CHAIN: `shows a certificate that nobody known has signed; ${trust}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `shows a certificate that nobody known has signed; ${trust}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `shows a certificate that nobody known has signed; ${trust}`,
}

/** The faults that the driver reports as text only, each with a pattern of the text. */
const said: readonly (readonly [words: RegExp, fault: string])[] = [
  [/does not support SSL/, 'has no TLS, which store.url asks for; turn it on there, or leave sslmode out'],
  [/SASL|password must be/, `wants a password; ${setUrl} to one with it`],
  [/time-?out/i, faults['ETIMEDOUT'] ?? ''],
  [/Connection terminated/, faults['ECONNRESET'] ?? ''],
]

/** The maximal depth of examined causes. */
const maxCauses = 5

/**
 * Returns the fault of an unusable database and its remedy, as the continuation of its address; undefined for other
 * errors. The fault names neither user nor password.
 */
export function databaseFault(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > maxCauses) return undefined
  const deeper = databaseFault(error.cause, depth + 1)
  if (deeper !== undefined) return deeper
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (Object.hasOwn(faults, code)) return faults[code]
  if (error instanceof DatabaseError) return undefined
  return said.find(([words]) => words.test(error.message))?.[1]
}

/** Returns an error of a database with its address, the fault and the remedy. */
export function explainedDatabase(address: string, error: unknown): Error {
  const message = error instanceof Error ? error.message : String(error)
  return new Error(`${address} ${databaseFault(error) ?? `cannot be used: ${message}`}`, { cause: error })
}
