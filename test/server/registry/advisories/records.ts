/** A record of OSV about one package that is affected below a version. */
export interface SampleRecord {
  readonly id: string
  readonly ecosystem: string
  readonly name: string
  readonly fixed: string
  readonly vector?: string
  /** Further members of the record. */
  readonly more?: object
}

/** The vector of the highest base score of CVSS 3.1 with an unchanged scope, which is 9.8. */
export const critical = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'

/** Returns a record as JSON. */
export const recordText = ({ ecosystem, fixed, id, more = {}, name, vector = critical }: SampleRecord): string =>
  JSON.stringify({
    id,
    modified: '2026-01-01T00:00:00Z',
    severity: [{ type: 'CVSS_V3', score: vector }],
    affected: [
      {
        package: { ecosystem, name },
        ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed }] }],
      },
    ],
    ...more,
  })
