export const limits = [];
