package hashlanes.spark

import java.nio.{ByteBuffer, ByteOrder}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.{TypeCheckFailure, TypeCheckSuccess}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types._

/** The frame of a row, which `hashlanes_digest_rows` hashes: docs/guide/frames.md.
  *
  * @param child
  *   a struct of the row's values
  */
case class RowFrame(child: Expression) extends UnaryExpression {
  def values: Seq[Expression] = child.asInstanceOf[CreateNamedStruct].valExprs

  override def dataType: DataType = BinaryType

  override def nullable: Boolean = false

  override def checkInputDataTypes(): TypeCheckResult =
    try {
      framer
      TypeCheckSuccess
    } catch {
      case error: IllegalArgumentException => TypeCheckFailure(error.getMessage)
    }

  @transient private lazy val framer = new Framer(values.map(_.dataType))

  override protected def nullSafeEval(row: Any): Any = framer.frame(row.asInstanceOf[InternalRow])

  override protected def doGenCode(ctx: CodegenContext, code: ExprCode): ExprCode = {
    val reference = ctx.addReferenceObj("framer", framer)
    defineCodeGen(ctx, code, row => s"$reference.frame($row)")
  }

  override protected def withNewChildInternal(child: Expression): Expression = copy(child)
}

object RowFrame {
  def of(values: Seq[Expression]): RowFrame =
    RowFrame(CreateNamedStruct(values.flatMap(value => Seq(Literal("value"), value))))
}

/** Makes frames of rows with these types. */
class Framer(types: Seq[DataType]) extends Serializable {
  private type Append = (SpecializedGetters, Int, Frame) => Unit

  @transient private lazy val appends = types.map(of).toArray
  appends

  def frame(row: InternalRow): Array[Byte] = {
    val frame = new Frame
    fields(appends, row, frame)
    frame.bytes
  }

  private def fields(appends: Array[Append], row: InternalRow, to: Frame): Unit = {
    var i = 0
    while (i < appends.length) {
      appends(i)(row, i, to)
      i += 1
    }
  }

  /** What appends the frame of a value of this type, which may be null. */
  private def of(dataType: DataType): Append = {
    val append = notNull(dataType)
    (row, i, to) => if (row.isNullAt(i)) to.tag(0x00) else append(row, i, to)
  }

  private def notNull(dataType: DataType): Append = dataType match {
    // All values of this type are null.
    case NullType => (_, _, to) => to.tag(0x00)
    case BooleanType => (row, i, to) => to.tag(if (row.getBoolean(i)) 0x02 else 0x01)
    case ByteType => (row, i, to) => to.number(0x03, row.getByte(i))
    case ShortType => (row, i, to) => to.number(0x03, row.getShort(i))
    case IntegerType => (row, i, to) => to.number(0x03, row.getInt(i))
    case LongType => (row, i, to) => to.number(0x03, row.getLong(i))
    case FloatType => (row, i, to) => to.double(row.getFloat(i))
    case DoubleType => (row, i, to) => to.double(row.getDouble(i))
    case _: StringType =>
      (row, i, to) => {
        val text = row.getUTF8String(i)
        text.writeTo(to.counted(0x06, text.numBytes, text.numBytes))
      }
    case BinaryType =>
      (row, i, to) => {
        val bytes = row.getBinary(i)
        to.counted(0x07, bytes.length, bytes.length).put(bytes)
      }
    case decimal: DecimalType =>
      val (precision, scale) = (decimal.precision, decimal.scale)
      (row, i, to) => to.decimal(row.getDecimal(i, precision, scale).toJavaBigDecimal)
    case DateType => (row, i, to) => to.number(0x0a, row.getInt(i))
    case TimestampNTZType => (row, i, to) => to.microseconds(0x0b, row.getLong(i))
    case TimestampType => (row, i, to) => to.microseconds(0x0c, row.getLong(i))
    case _: DayTimeIntervalType => (row, i, to) => to.microseconds(0x0e, row.getLong(i))
    case _: YearMonthIntervalType => (row, i, to) => to.interval(row.getInt(i), 0, 0)
    case CalendarIntervalType =>
      (row, i, to) => {
        val interval = row.getInterval(i)
        to.interval(interval.months, interval.days, interval.microseconds)
      }
    case ArrayType(elementType, _) =>
      val append = of(elementType)
      (row, i, to) => {
        val array = row.getArray(i)
        to.counted(0x10, array.numElements, 0)
        for (j <- 0 until array.numElements) append(array, j, to)
      }
    case MapType(keyType, valueType, _) =>
      val (key, value) = (of(keyType), of(valueType))
      (row, i, to) => {
        val map = row.getMap(i)
        val (keys, values) = (map.keyArray, map.valueArray)
        to.counted(0x10, map.numElements, 0)
        for (j <- 0 until map.numElements) {
          to.counted(0x11, 2, 0)
          key(keys, j, to)
          value(values, j, to)
        }
      }
    case StructType(inner) =>
      val appends = inner.map(field => of(field.dataType))
      (row, i, to) => {
        to.counted(0x11, appends.length, 0)
        fields(appends, row.getStruct(i, appends.length), to)
      }
    case user: UserDefinedType[_] => notNull(user.sqlType)
    case other => throw new IllegalArgumentException(s"no framing for ${other.simpleString}")
  }
}

/** A frame that grows. */
private class Frame {
  private var buffer = Frame.allocate(128)

  def bytes: Array[Byte] = java.util.Arrays.copyOf(buffer.array, buffer.position())

  /** The buffer, with room for more bytes. */
  private def room(more: Int): ByteBuffer = {
    if (buffer.remaining < more) {
      val least = Math.addExact(buffer.position(), more)
      val larger = Math.max(least.toLong, Math.min(2L * least, Int.MaxValue - 8)).toInt
      buffer = Frame.allocate(larger).put(buffer.array, 0, buffer.position())
    }
    buffer
  }

  def tag(tag: Int): Unit = room(1).put(tag.toByte)

  def number(tag: Int, value: Long): Unit = room(9).put(tag.toByte).putLong(value)

  /** A tag and a number, with room for bytes after them. */
  def counted(tag: Int, count: Int, more: Int): ByteBuffer =
    room(Math.addExact(9, more)).put(tag.toByte).putLong(count.toLong)

  /** Zero has one sign, and all that is not a number the same bits. */
  def double(value: Double): Unit =
    number(0x05, java.lang.Double.doubleToLongBits(value + 0.0))

  /** A decimal of at most 38 digits, which fits into 16 bytes. */
  def decimal(value: java.math.BigDecimal): Unit = {
    val unscaled = value.unscaledValue
    val (low, high) = (unscaled.longValue, unscaled.shiftRight(64).longValue)
    room(18).put(0x08.toByte).put(value.scale.toByte).putLong(low).putLong(high)
  }

  def microseconds(tag: Int, count: Long): Unit = {
    number(tag, Math.floorDiv(count, 1000000L))
    room(4).putInt(Math.floorMod(count, 1000000L).toInt * 1000)
  }

  def interval(months: Int, days: Int, microseconds: Long): Unit = {
    val nanoseconds = Math.multiplyExact(microseconds, 1000L)
    room(17).put(0x0f.toByte).putInt(months).putInt(days).putLong(nanoseconds)
  }
}

private object Frame {
  def allocate(bytes: Int): ByteBuffer = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN)
}
