/**
 * `server.json` of the package, by which the registry of the Model Context Protocol lists it: the package, which is run
 * by npx, and services that others run. The registry checks that `name` is the `mcpName` of the published package.json.
 */
interface Published {
  readonly name: string
  readonly mcpName: string
  readonly version: string
}

export function serverJson({ name, mcpName, version }: Published) {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'Lexigraph',
    description: 'Search, read and count public records of the AT Protocol at a Lexigraph service.',
    version,
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [{ type: 'positional', value: 'mcp' }],
        environmentVariables: [
          {
            name: 'LEXIGRAPH_ENDPOINT',
            description: 'The GraphQL service that answers, such as https://news.example/api/graphql.',
            default: 'http://127.0.0.1:4000/api/graphql',
          },
          {
            name: 'LEXIGRAPH_API_KEY',
            description: 'A key of the service, if there is one.',
            isSecret: true,
          },
          {
            name: 'LEXIGRAPH_LEXICONS',
            description: 'A folder with the lexicons of the service, if it has others than those of news.',
            format: 'filepath',
          },
        ],
      },
    ],
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://{host}/mcp',
        variables: {
          host: { description: 'A service that runs with --mcp, such as news.example.', isRequired: true },
        },
        headers: [
          { name: 'X-API-Key', description: 'A key of the service, if there is one.', isSecret: true },
        ],
      },
    ],
  }
}
