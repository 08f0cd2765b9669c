import type { CvssScore } from '../../../../output/registry/types.ts'
import { readScore } from './cvss.ts'
import { osvEventKinds, type OsvAffected, type OsvEvent, type OsvRange, type OsvRecord } from './osv-record.ts'

/** A record that is not in the form of OSV; the message says which member is wrong. */
export class RecordFault extends Error {
  constructor(member: string, rule: string) {
    super(`${member} ${rule}`)
    this.name = 'RecordFault'
  }
}

/** The longest id and version, and the longest name of a package, in UTF-16 units. */
const maxId = 256
const maxName = 1024
const maxVersion = 1024
/** The limits of what is kept for people. */
const maxSummary = 500
const maxReferences = 50
const maxAddress = 2048

/**
 * Reads the parsed JSON of a record. Unknown members, references that are no addresses, malformed scores and ranges of
 * commits are left out. Throws a `RecordFault` for a known member of another form: to leave out a part of what a record
 * affects would hide a vulnerability.
 */
export function parseRecord(value: unknown): OsvRecord {
  const record = objectOf(value, 'the record')
  const id = textOf(record['id'], 'id', maxId)
  const modifiedMs = Date.parse(textOf(record['modified'], 'modified', maxId))
  if (Number.isNaN(modifiedMs)) throw new RecordFault('modified', 'must be a time')
  return {
    id,
    modifiedMs,
    isWithdrawn: isPresent(record['withdrawn']),
    aliases: idsOf(record['aliases'], 'aliases', id),
    upstream: idsOf(record['upstream'], 'upstream', id),
    summary: summaryOf(record),
    references: referencesOf(record['references']),
    scores: scoresOf(record['severity']),
    affected: listOf(record['affected'], 'affected').flatMap(affectedOf),
  }
}

function affectedOf(value: unknown): OsvAffected[] {
  const affected = objectOf(value, 'affected[]')
  // Records about repositories have ranges of commits and no package.
  if (!isPresent(affected['package'])) return []
  const { ecosystem, name } = objectOf(affected['package'], 'affected[].package')
  return [
    {
      ecosystem: textOf(ecosystem, 'affected[].package.ecosystem', maxName),
      name: textOf(name, 'affected[].package.name', maxName),
      ranges: listOf(affected['ranges'], 'affected[].ranges').flatMap(rangeOf),
      versions: listOf(affected['versions'], 'affected[].versions').map(version =>
        textOf(version, 'affected[].versions[]', maxVersion),
      ),
      scores: scoresOf(affected['severity']),
    },
  ]
}

function rangeOf(value: unknown): OsvRange[] {
  const range = objectOf(value, 'affected[].ranges[]')
  const type = textOf(range['type'], 'affected[].ranges[].type', maxName)
  if (type !== 'SEMVER' && type !== 'ECOSYSTEM') return []
  return [
    { isSemver: type === 'SEMVER', events: listOf(range['events'], 'affected[].ranges[].events').flatMap(eventsOf) },
  ]
}

function eventsOf(value: unknown): OsvEvent[] {
  const event = objectOf(value, 'affected[].ranges[].events[]')
  return osvEventKinds
    .filter(kind => isPresent(event[kind]))
    .map(kind => ({ kind, version: textOf(event[kind], `affected[].ranges[].events[].${kind}`, maxVersion) }))
}

function summaryOf({ details, summary }: JsonObject): string {
  const text = [summary, details].find(member => typeof member === 'string' && member.trim() !== '')
  const [line = ''] = typeof text === 'string' ? text.trim().split('\n', 1) : []
  return line.slice(0, maxSummary).toWellFormed()
}

function referencesOf(value: unknown): readonly string[] {
  const addresses = listOf(value, 'references').map(reference => objectOf(reference, 'references[]')['url'])
  const kept = addresses
    .filter(url => typeof url === 'string')
    .filter(url => url.length <= maxAddress && URL.canParse(url))
  return [...new Set(kept)].slice(0, maxReferences)
}

const scoresOf = (value: unknown): readonly CvssScore[] =>
  listOf(value, 'severity').flatMap(severity => readScore(objectOf(severity, 'severity[]')['score']) ?? [])

const idsOf = (value: unknown, member: string, own: string): readonly string[] => {
  const ids = listOf(value, member).map(id => textOf(id, `${member}[]`, maxId))
  return [...new Set(ids)].filter(id => id !== own)
}

type JsonObject = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a member has a value: some programs write null for what is absent. */
const isPresent = (value: unknown): boolean => value !== undefined && value !== null

function objectOf(value: unknown, member: string): JsonObject {
  if (!isObject(value)) throw new RecordFault(member, 'must be an object')
  return value
}

function listOf(value: unknown, member: string): readonly unknown[] {
  if (!isPresent(value)) return []
  if (!Array.isArray(value)) throw new RecordFault(member, 'must be a list')
  return value
}

function textOf(value: unknown, member: string, longest: number): string {
  if (typeof value !== 'string' || value === '') throw new RecordFault(member, 'must be a text')
  if (value.length > longest) throw new RecordFault(member, `must have at most ${longest} characters`)
  if (!value.isWellFormed() || value.includes('\0')) throw new RecordFault(member, 'must be a text of whole characters')
  return value
}
