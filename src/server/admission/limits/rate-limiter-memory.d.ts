/** The library's one counter that is needed, by its own file: with its index come thirty others. */
declare module 'rate-limiter-flexible/lib/RateLimiterMemory.js' {
  import { RateLimiterMemory } from 'rate-limiter-flexible'

  export default RateLimiterMemory
}
