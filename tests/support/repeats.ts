/**
 * How often something random is repeated: as often as given, or TEST_REPEATS times that. A run of all tests takes what is
 * enough to notice a fault within days; before a release, or after a change to what is tested so, take ten times as much.
 */
export const repeats = (count: number): number => Math.ceil(count * Number(process.env.TEST_REPEATS ?? 1))
