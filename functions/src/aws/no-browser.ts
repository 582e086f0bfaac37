/**
 * Stands in the bundle for `bowser` (scripts/package/bundle.ts). The SDK imports it when it runs in a web browser, to
 * name that in its user agent; in Lambda it would only be 35 kB that nothing ever loads.
 */
export default {};
