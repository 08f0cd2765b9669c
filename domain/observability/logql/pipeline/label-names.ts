/** Makes the name of a label of a key: other characters than letters, digits and `_` become `_`, also before a digit. */
export function labelNameOf(key: string): string {
  const name = key.trim().replace(/[^A-Za-z0-9_]/gu, '_')
  return /^\d/.test(name) ? `_${name}` : name
}
