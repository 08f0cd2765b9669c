import type { Draft } from '../draft.ts'
import { errorOf, summaryOf } from '../error.ts'
import type { Probe } from '../probe.ts'
import type { Subject } from '../subject.ts'
import { isOwnError } from '../verdict.ts'

/**
 * Proves that an operation with declared access refuses a request without a valid token, even if the request has other
 * faults (conventions §4, §7). A public operation must accept a request without a token.
 */
export async function proveDoors(subject: Subject, probe: Probe, draft: Draft): Promise<void> {
  const { access } = subject.operation
  if (!access) return
  if (access.kind === 'public') return provePublic(subject, probe, draft)
  const broken = { ...draft, pairs: ['x_not_declared=1'] }
  // A part of the request may replace the token, and only the handler can decide whether the part does.
  if (access.kind !== 'permission' || !access.bearerOptional) {
    await mustBeKeptOut(probe, { ...draft, authorization: undefined }, 'no token', 'TOKEN_MISSING')
    await mustBeKeptOut(probe, { ...broken, authorization: undefined }, 'no token and a faulty query', 'TOKEN_MISSING')
  }
  await mustBeKeptOut(probe, { ...draft, authorization: 'Bearer no.such.token' }, 'a made-up token', 'TOKEN_INVALID')
  await mustBeKeptOut(probe, { ...draft, authorization: 'Basic bm86b25l' }, 'another scheme', 'TOKEN_INVALID')
}

async function mustBeKeptOut(probe: Probe, draft: Draft, what: string, reason: string): Promise<void> {
  const answer = await probe.send(draft, what)
  if (!answer) return
  const isKeptOut = answer.status === 401 && errorOf(answer)?.reason === reason
  if (!isKeptOut) probe.find('door', what, `401 ${reason}`, summaryOf(answer))
  else if (!/^Bearer\b/.test(answer.headers['www-authenticate'] ?? ''))
    probe.find(
      'door',
      what,
      'the header WWW-Authenticate: Bearer',
      answer.headers['www-authenticate'] ?? 'no such header',
    )
}

async function provePublic(subject: Subject, probe: Probe, draft: Draft): Promise<void> {
  const answer = await probe.send({ ...draft, authorization: undefined }, 'no token')
  // The handler may refuse a credential in the request that replaces the token.
  if (answer && isOwnError(answer, subject)) return
  if (answer?.status === 401 || answer?.status === 403)
    probe.find('door', 'no token', 'an answer that needs no token', summaryOf(answer))
}
