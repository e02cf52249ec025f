/** Which messages a run finds: the newest one when it was first claimed. What it says itself comes after it. */
export const historyEnd = `
ALTER TABLE runs ADD COLUMN history_end INTEGER;
`;
