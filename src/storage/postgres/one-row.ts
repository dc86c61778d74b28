/** The row of a query that always answers exactly one, such as an aggregate's. */
export const oneRow = <R>(rows: readonly R[]): R => rows[0]!;
