/** The owner has no customer with this id. Another owner's customer is answered with this too. */
export interface CustomerNotFound {
  readonly type: 'customer_not_found';
  readonly id: string;
}

/** The owner has another customer with this email, in whatever case. */
export interface EmailTaken {
  readonly type: 'email_taken';
  /** The customer who has it. */
  readonly customer_id: string;
}

/** Orders name the customer, who stays while they do. */
export interface CustomerHasOrders {
  readonly type: 'customer_has_orders';
}
