import { parseTimestamp } from '../../runtime/timestamps.ts'

/**
 * Returns the members of a body with the given times in the form of answers: UTC with three fraction digits (conventions
 * §1). The times are valid timestamps; digits below a millisecond are cut.
 */
export function withAnsweredTimes<Body extends object, Name extends keyof Body>(
  body: Body,
  ...names: readonly (Name & string)[]
): Body {
  const times = names.flatMap(name => {
    const time = body[name]
    return typeof time === 'string' ? [[name, answeredTime(time)]] : []
  })
  return times.length === 0 ? body : { ...body, ...Object.fromEntries(times) }
}

const answeredTime = (text: string): string => `${(parseTimestamp(text) ?? text).slice(0, 23)}Z`
