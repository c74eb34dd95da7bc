// Whether what the program depends on has known holes, by the registry's own list: `npm run audit`. Dependencies of
// development too, because most are bundled into the package. A registry that keeps no such list, or cannot be reached,
// is no fault of the program. Arguments go to npm.
const { spawnSync } = await import('node:child_process')

const asked = ['audit', '--audit-level=high', '--json', '--fetch-retries=1']
const { stdout, stderr, error } = spawnSync('npm', [...asked, ...process.argv.slice(2)], { encoding: 'utf8' })
const report = error === undefined ? parse(stdout) : null

if (report?.auditReportVersion !== undefined) {
  const { high, critical } = report.metadata.vulnerabilities
  for (const { name, severity, range, via } of Object.values(report.vulnerabilities))
    for (const { title, url } of via.filter((cause) => typeof cause === 'object'))
      console.log(`${severity}: ${name} ${range}: ${title} (${url})`)
  console.log(`Known holes that are high or critical: ${high + critical}.`)
  process.exitCode = high + critical > 0 ? 1 : 0
} else if (report?.statusCode !== undefined || /^request to .* failed/.test(report?.message ?? '')) {
  console.log('The registry offers no audit; skipped.')
} else {
  console.error(error?.message ?? `npm audit failed:\n${stdout}${stderr}`)
  process.exitCode = 1
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
