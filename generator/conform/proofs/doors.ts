import type { Draft } from '../draft.ts'
import { errorOf, saidBy } from '../error.ts'
import type { Probe } from '../probe.ts'
import type { Subject } from '../subject.ts'
import { isOwnError } from '../verdict.ts'

/** Nobody comes in without a token, whatever else is wrong with the call (conventions §4, §7). */
export async function proveDoors(subject: Subject, probe: Probe, draft: Draft): Promise<void> {
  const { access } = subject.operation
  if (!access) return
  if (access.kind === 'public') return provePublic(subject, probe, draft)
  const broken = { ...draft, pairs: ['x_not_declared=1'] }
  // Where what is sent may stand in the place of a token, only its handler knows whether it does.
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
  if (!isKeptOut) probe.find('door', what, `401 ${reason}`, saidBy(answer))
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
  // What is sent may be refused in the place of a token; that is the handler's to say.
  if (answer && isOwnError(answer, subject)) return
  if (answer?.status === 401 || answer?.status === 403)
    probe.find('door', 'no token', 'an answer without one', saidBy(answer))
}
