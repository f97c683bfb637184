package hashlanes.spark

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.Platform

/** Rows with their digests, hashed some at a time. */
class HashedRows(
    input: Iterator[InternalRow],
    types: Array[DataType],
    hashed: HashedColumns,
    counter: SQLMetric)
    extends Iterator[InternalRow] {
  import HashedRows._

  private lazy val projection = UnsafeProjection.create(types)
  /** Copies of the rows, each from its start to the next one's. */
  private var buffer = new Array[Byte](32 << 10)
  private val starts = new Array[Int](MOST + 1)
  private val row = new UnsafeRow(types.length)
  private val digests = new ColumnarBatch(hashed.digests)
  private val joined = new JoinedRow

  /** Rows to hash at a time. There are few at first, as perhaps only few are wanted. */
  private var rows = FEWEST
  private var filled = 0
  private var emitted = 0
  /** What the input threw. The rows before it are emitted first. */
  private var failure: Throwable = _

  override def hasNext: Boolean = {
    if (emitted == filled) fill()
    emitted < filled
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more rows")
    move(emitted)
    val digest = digests.getRow(emitted)
    emitted += 1
    joined(row, digest)
  }

  private def move(place: Int): Unit = {
    val start = starts(place)
    row.pointTo(buffer, Platform.BYTE_ARRAY_OFFSET + start, starts(place + 1) - start)
  }

  private def fill(): Unit = {
    if (failure != null) throw failure
    filled = 0
    emitted = 0
    try {
      while (filled < rows && starts(filled) < MOST_BYTES && input.hasNext) {
        add(input.next() match {
          case unsafe: UnsafeRow => unsafe
          case other => projection(other)
        })
      }
    } catch {
      case error: Throwable if filled > 0 => failure = error
    }
    rows = math.min(2 * rows, MOST)
    hashed.hash(row, filled, move)
    digests.setNumRows(filled)
    counter += filled
  }

  private def add(source: UnsafeRow): Unit = {
    val start = starts(filled)
    val end = Math.addExact(start, source.getSizeInBytes)
    if (end > buffer.length) {
      buffer = java.util.Arrays.copyOf(buffer, math.max(end, math.min(2 * end, MOST_BYTES)))
    }
    source.writeToMemory(buffer, Platform.BYTE_ARRAY_OFFSET + start)
    filled += 1
    starts(filled) = end
  }
}

object HashedRows {
  private val FEWEST = 16
  private val MOST = 1024
  private val MOST_BYTES = 4 << 20
}
