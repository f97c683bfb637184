package hashlanes.spark

import hashlanes.{Algorithm, Batch}
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.vectorized.{OnHeapColumnVector, WritableColumnVector}
import org.apache.spark.sql.types.{BinaryType, DataType, StringType}
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** A column of strings or binary values that is hashed. */
case class HashedColumn(algorithm: Algorithm, ordinal: Int, dataType: DataType)

/** Columns of digests, for the rows that were hashed last. */
class HashedColumns(columns: Seq[HashedColumn]) {
  private val hashes = columns.map(column => new Hashes(column.algorithm)).toArray
  private val ordinals = columns.map(_.ordinal).toArray
  private val binary = columns.map(_.dataType == BinaryType).toArray

  /** The same objects after each [[hash]]. */
  val digests: Array[ColumnVector] = hashes.map(_.vector)

  Option(TaskContext.get()).foreach { task =>
    task.addTaskCompletionListener[Unit](_ => hashes.foreach(_.close()))
  }

  /** Hashes rows of columns. */
  def hash(input: Array[ColumnVector], rows: Int): Unit =
    for (i <- hashes.indices) {
      val column = input(ordinals(i))
      // Others may have binary values elsewhere than strings.
      val copied = binary(i) && !column.isInstanceOf[WritableColumnVector]
      hashes(i).begin(rows)
      var row = 0
      while (row < rows) {
        if (column.isNullAt(row)) hashes(i).addNull(row)
        else if (copied) hashes(i).add(row, UTF8String.fromBytes(column.getBinary(row)))
        else hashes(i).add(row, column.getUTF8String(row))
        row += 1
      }
      hashes(i).finish()
    }

  /** Hashes rows, to whose places `move` moves an object. */
  def hash(row: UnsafeRow, rows: Int, move: Int => Unit): Unit = {
    hashes.foreach(_.begin(rows))
    var place = 0
    while (place < rows) {
      move(place)
      var i = 0
      while (i < hashes.length) {
        // An unsafe row has binary values like strings, which can be read without a copy.
        if (row.isNullAt(ordinals(i))) hashes(i).addNull(place)
        else hashes(i).add(place, row.getUTF8String(ordinals(i)))
        i += 1
      }
      place += 1
    }
    hashes.foreach(_.finish())
  }
}

/** The digests of one column. */
private class Hashes(algorithm: Algorithm) {
  private val batch = new Batch(algorithm)
  private val length = 2 * algorithm.outputLength()
  /** The same object after each [[finish]]. */
  val vector = new OnHeapColumnVector(0, StringType)
  private var digits = new Array[Byte](0)
  private var next = 0

  def begin(rows: Int): Unit = {
    batch.clear()
    vector.reset()
    vector.reserve(rows)
    next = 0
  }

  def addNull(row: Int): Unit = vector.putNull(row)

  def add(row: Int, value: UTF8String): Unit = {
    val bytes = value.numBytes
    value.getBaseObject match {
      case array: Array[Byte] =>
        batch.add(array, (value.getBaseOffset - Platform.BYTE_ARRAY_OFFSET).toInt, bytes)
      case _ =>
        val copy = new Array[Byte](bytes)
        value.writeToMemory(copy, Platform.BYTE_ARRAY_OFFSET)
        batch.add(copy)
    }
    vector.putArray(row, next, length)
    next += length
  }

  def finish(): Unit = {
    if (digits.length < next) digits = new Array[Byte](next)
    vector.arrayData().appendBytes(batch.finishHex(digits), digits, 0)
  }

  def close(): Unit = batch.close()
}
