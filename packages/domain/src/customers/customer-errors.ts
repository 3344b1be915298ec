/** Error: the owner has no customer with this id. The id of another owner's customer gives the same error. */
export interface CustomerNotFound {
  readonly type: 'customer_not_found';
  readonly id: string;
}

/** Error: another customer of the owner has this email, compared by {@link emailKey}. */
export interface EmailTaken {
  readonly type: 'email_taken';
  /** Id of the customer who has the email. */
  readonly customer_id: string;
}

/** Error: the customer is erased, so that it stays as it is, and no order can be assigned to it but an erased one. */
export interface CustomerErased {
  readonly type: 'customer_erased';
}

/** Error: orders refer to the customer, who therefore cannot be deleted. */
export interface CustomerHasOrders {
  readonly type: 'customer_has_orders';
}
