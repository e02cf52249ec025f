/** Who calls. Every row of the store has an owner; without authentication there is one, `anonymous`. */
export interface Principal {
  id: string;
}

export const ANONYMOUS: Principal = { id: 'anonymous' };
