// Every field has a `!`, because class-transformer sets it without the compiler's knowledge.
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateNested,
} from 'class-validator';

class UnitPriceDto {
  @IsInt()
  @Min(0)
  @Max(10 ** 12)
  amount!: number;

  @IsString()
  @Matches(/^[A-Z]{3}$/)
  currency!: string;
}

class NewItemDto {
  @IsString()
  @MinLength(1)
  @MaxLength(64)
  sku!: string;

  @IsString()
  @MinLength(1)
  @MaxLength(255)
  name!: string;

  @IsInt()
  @Min(1)
  @Max(1_000_000)
  quantity!: number;

  @IsObject()
  @ValidateNested()
  @Type(() => UnitPriceDto)
  unit_price!: UnitPriceDto;
}

/** The body of a new order. */
export class NewOrderDto {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @ValidateNested({ each: true })
  @Type(() => NewItemDto)
  items!: NewItemDto[];

  @IsOptional()
  @IsUUID()
  customer_id?: string | null;

  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(64)
  reference?: string | null;

  @IsOptional()
  @IsString()
  @MaxLength(2000)
  note?: string | null;

  @IsOptional()
  @IsObject()
  metadata?: Record<string, string> | null;
}

/** The body of a cancellation. */
export class CancellationDto {
  @IsOptional()
  @IsString()
  @MaxLength(500)
  reason?: string | null;
}
