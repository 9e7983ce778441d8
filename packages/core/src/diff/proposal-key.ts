/** Keys of kept proposals in the private storage begin with it; apart from the store, which is loaded only where there are some. */
export const proposalKeyPrefix = "proposal-";
