import { isRecord } from '../../../../runtime/validation.ts'
import { MalformedResult } from '../metrics/result-values.ts'
import { durationTextMs } from './duration-text.ts'
import type { MemberTexts } from './member-texts.ts'

/** A limit of the size of the store, for example `10GiB`, `1GiB512MiB` or `80%`. */
const size = /^(?:\d{1,20}(?:\.\d{1,20})?\s?%|(?:\d{1,20}(?:\.\d{1,20})?\s?[KMGTPE]?i?B){1,8})$/

/** The retention of Prometheus without a setting, in milliseconds: 15 days. */
const defaultMs = 15 * 86_400_000

/** The flags of the time of the retention; the second is the older name of the first. */
const timeFlags = ['storage.tsdb.retention.time', 'storage.tsdb.retention'] as const

/**
 * Returns the retention of Prometheus in milliseconds: Infinity if only the size of its store has a limit, undefined for
 * a member that does not tell. Versions before 2.14 tell it by their flags alone.
 */
export async function prometheusRetention(pages: MemberTexts): Promise<number | undefined> {
  const { storageRetention: told = '' } = await dataAt(pages, 'runtimeinfo')
  if (told !== '') return storageRetentionMs(told)
  return flagsMs(await dataAt(pages, 'flags'))
}

/** Returns `data` of a page of the status of Prometheus; an empty object for a member without the page. */
async function dataAt(pages: MemberTexts, page: string): Promise<Readonly<Record<string, unknown>>> {
  const { data, status } = (await pages.objectAt(`/api/v1/status/${page}`)) ?? {}
  return status === 'success' && isRecord(data) ? data : {}
}

/** Reads `15d`, `10GiB` and `15d or 10GiB`. */
function storageRetentionMs(told: unknown): number {
  if (typeof told !== 'string' || told.length > 200) throw new MalformedResult()
  const [time = '0s', ...more] = told.split(' or ').filter(each => !size.test(each))
  if (more.length > 0) throw new MalformedResult()
  return durationTextMs(time) || Infinity
}

function flagsMs(flags: Readonly<Record<string, unknown>>): number | undefined {
  const told = timeFlags.filter(name => flags[name] !== undefined)
  if (told.length === 0) return undefined
  const time = told.map(name => durationTextMs(flags[name])).find(ms => ms > 0)
  if (time !== undefined) return time
  const { 'storage.tsdb.retention.size': bytes = '0B' } = flags
  return bytes === '0B' ? defaultMs : Infinity
}
