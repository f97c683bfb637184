package hashlanes.spark

import hashlanes.Batch
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.unsafe.Platform

/** The rows of a partition, hashed some at a time. */
class HashedRows(plan: HashPlan, index: Int, input: Iterator[InternalRow], counter: SQLMetric)
    extends Iterator[InternalRow] {
  import HashedRows._

  private val count = plan.hashes.length
  private val values = new Values(plan, index)
  private val batches = plan.hashes.map(hash => new Batch(hash.algorithm)).toArray
  private val lengths = plan.hashes.map(2 * _.algorithm.outputLength()).toArray
  private val passing =
    if (plan.passed.isEmpty) null else UnsafeProjection.create(plan.passed, plan.input)
  /** Makes a row of the output, unless that is what the digests are. */
  private val finishing =
    if (plan.isOnlyDigests) null
    else UnsafeProjection.create(plan.output, plan.passed ++ plan.digests)
  if (finishing != null) finishing.initialize(index)

  private val passed = new Array[InternalRow](MOST)
  private val nulls = Array.ofDim[Boolean](count, MOST)
  private val digits = new Array[Array[Byte]](count)
  /** The next digest in `digits`, as nulls have none. */
  private val nexts = new Array[Int](count)
  private val digests = new DigestRow(lengths)
  private val joined = new JoinedRow

  /** Rows to hash at a time. There are few at first, as perhaps only few are wanted. */
  private var rows = FEWEST
  private var filled = 0
  private var emitted = 0
  /** What the input threw. The rows before it are emitted first. */
  private var failure: Throwable = _

  Option(TaskContext.get()).foreach { task =>
    task.addTaskCompletionListener[Unit](_ => batches.foreach(_.close()))
  }

  override def hasNext: Boolean = {
    if (emitted == filled) fill()
    emitted < filled
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more rows")
    digests.begin()
    var i = 0
    while (i < count) {
      if (nulls(i)(emitted)) digests.addNull()
      else {
        digests.add(digits(i), nexts(i) * lengths(i))
        nexts(i) += 1
      }
      i += 1
    }
    val digestRow = digests.end()
    val row = if (passing == null) digestRow else joined(passed(emitted), digestRow)
    emitted += 1
    counter += 1
    if (finishing == null) digestRow else finishing(row)
  }

  private def fill(): Unit = {
    if (failure != null) throw failure
    filled = 0
    emitted = 0
    var bytes = 0L
    try {
      while (filled < rows && bytes < MOST_BYTES && input.hasNext) {
        val row = input.next()
        bytes += values.add(row, batches, nulls, filled)
        if (passing != null) {
          val copy = passing(row).copy()
          bytes += copy.getSizeInBytes
          passed(filled) = copy
        }
        filled += 1
      }
    } catch {
      case error: Throwable if filled > 0 => failure = error
    }
    rows = math.min(2 * rows, MOST)
    var i = 0
    while (i < count) {
      val finished = batches(i).finish()
      // A row that failed may have left a value. A batch that failed has lost what it had.
      val valued = nulls(i).iterator.take(filled).count(!_)
      if (finished.size < valued) throw failure
      digits(i) = finished.hexDigits()
      nexts(i) = 0
      i += 1
    }
  }
}

object HashedRows {
  private val FEWEST = 16
  private val MOST = 1024
  private val MOST_BYTES = 4L << 20
}

/** A row of digests, whose bytes are those that Spark would write. No object is made for a digest.
  */
class DigestRow(lengths: Array[Int]) {
  private val words = UnsafeRow.calculateBitSetWidthInBytes(lengths.length)
  private val variable = words + 8 * lengths.length
  private val bytes = new Array[Byte](variable + lengths.sum)
  // Pointed to its bytes once: storing a reference costs more than hashing a row.
  private val row = new UnsafeRow(lengths.length)
  row.pointTo(bytes, variable)
  private var column = 0
  private var size = 0

  def begin(): Unit = {
    column = 0
    size = variable
  }

  def addNull(): Unit = {
    row.setNullAt(column)
    column += 1
  }

  /** Adds the digits at an offset. Their number is a multiple of 8, as Spark asks for. */
  def add(digits: Array[Byte], offset: Int): Unit = {
    val length = lengths(column)
    val start = Platform.BYTE_ARRAY_OFFSET
    Platform.copyMemory(digits, start + offset, bytes, start + size, length)
    row.setNotNullAt(column)
    Platform.putLong(bytes, start + words + 8L * column, (size.toLong << 32) | length)
    size += length
    column += 1
  }

  /** The row, until the next one begins. */
  def end(): UnsafeRow = {
    row.setTotalSize(size)
    row
  }
}

/** Hands the values of rows to batches. */
class Values(plan: HashPlan, index: Int) {
  private val ordinals = plan.hashes.map(hash => plan.input.indexWhere(is(hash.value))).toArray
  private val binary = plan.hashes.map(_.value.dataType == BinaryType).toArray
  /** Computes the values, unless all are columns of the input. */
  private val computing =
    if (!ordinals.contains(-1)) null
    else UnsafeProjection.create(plan.hashes.map(_.value), plan.input)
  if (computing != null) {
    computing.initialize(index)
    ordinals.indices.foreach(i => ordinals(i) = i)
  }

  private def is(value: Expression)(attribute: Attribute) = value match {
    case reference: AttributeReference => reference.exprId == attribute.exprId
    case _ => false
  }

  /** Adds the values of a row, or notes that they are null. Returns how many bytes they have. */
  def add(
      row: InternalRow,
      batches: Array[Batch],
      nulls: Array[Array[Boolean]],
      place: Int): Long = {
    val source = if (computing == null) row else computing(row)
    var bytes = 0L
    var i = 0
    while (i < batches.length) {
      val isNull = source.isNullAt(ordinals(i))
      nulls(i)(place) = isNull
      if (!isNull) bytes += add(source, i, batches(i))
      i += 1
    }
    bytes
  }

  private def add(row: InternalRow, i: Int, batch: Batch): Int = {
    // An unsafe row has binary values like strings, which can be read without a copy.
    if (binary(i) && !row.isInstanceOf[UnsafeRow]) {
      addCopy(row.getBinary(ordinals(i)).clone(), batch)
    } else {
      val text = row.getUTF8String(ordinals(i))
      val length = text.numBytes
      text.getBaseObject match {
        // The batch copies what is short. The row's memory may be used again.
        case array: Array[Byte] if length < Values.LARGE =>
          batch.add(array, (text.getBaseOffset - Platform.BYTE_ARRAY_OFFSET).toInt, length)
          length
        case _ =>
          val copy = new Array[Byte](length)
          text.writeToMemory(copy, Platform.BYTE_ARRAY_OFFSET)
          addCopy(copy, batch)
      }
    }
  }

  private def addCopy(copy: Array[Byte], batch: Batch): Int = {
    batch.add(copy)
    copy.length
  }
}

object Values {
  /** Less than what a batch does not copy. */
  private val LARGE = 16 << 10
}
