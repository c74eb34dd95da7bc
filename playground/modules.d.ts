declare module '*.css'

declare var MonacoEnvironment: {
  readonly getWorker: (moduleId: string, label: string) => Worker
}
