import type { Result } from 'neverthrow';
import { commonFilters, type FilterInput, type FilterValues } from '../shared/list-filters.ts';
import { type PageQuery, type PageQueryInput, parseFilteredQuery } from '../shared/page-query.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import { emailKey } from './customer.ts';
import { readEmail } from './customer-details.ts';

/** The filters of a list of customers. */
export const CUSTOMER_FILTERS = commonFilters('Customers');

/** A validated query for a page of customers. */
export type CustomerQuery = PageQuery & FilterValues<typeof CUSTOMER_FILTERS>;

/** An unvalidated query for a page of customers. Every member is optional; a customer must match all. */
export type CustomerQueryInput = PageQueryInput & FilterInput<typeof CUSTOMER_FILTERS>;

/** Parses a query for a page of customers and reports every invalid member. */
export function parseCustomerQuery(input: CustomerQueryInput): Result<CustomerQuery, ValidationFailed> {
  return parseFilteredQuery(input, CUSTOMER_FILTERS);
}

/** The input of a search for a customer. */
export interface CustomerSearch {
  /** In any case. */
  readonly email: string;
}

/** Parses a search and returns the {@link emailKey} to look for. */
export function parseCustomerSearch(input: unknown): Result<string, ValidationFailed> {
  const invalid = new InvalidFields();
  const { email } = invalid.readObject(input, ['email']);
  return invalid.toResult(emailKey(readEmail(email, 'email', invalid) ?? ''));
}
