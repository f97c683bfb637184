package hashlanes.spark

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** Adds columns of digests to those of its child, many rows at a time. It takes and gives whole
  * columns if its child does, and rows otherwise.
  *
  * @param digests
  *   hashes of columns of the child
  */
case class HashlanesExec(digests: Seq[Alias], child: SparkPlan) extends UnaryExecNode {

  override def output: Seq[Attribute] = child.output ++ digests.map(_.toAttribute)

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override def supportsColumnar: Boolean = child.supportsColumnar

  /** Generated code reads the columns faster if it knows their classes. */
  override def vectorTypes: Option[Seq[String]] =
    child.vectorTypes.map(_ ++ digests.map(_ => classOf[OnHeapColumnVector].getName))

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"))

  private def hashes: Seq[HashedColumn] = digests.map { digest =>
    val Hash(algorithm, value) = Hash.of(digest.child).get
    HashedColumn(algorithm, child.output.indexWhere(_.semanticEquals(value)), value.dataType)
  }

  override protected def doExecute(): RDD[InternalRow] = {
    val counter = longMetric("numOutputRows")
    val (columns, types) = (hashes, child.output.map(_.dataType).toArray)
    child.execute().mapPartitions(new HashedRows(_, types, new HashedColumns(columns), counter))
  }

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = {
    val counter = longMetric("numOutputRows")
    val columns = hashes
    child.executeColumnar().mapPartitions { batches =>
      val hashed = new HashedColumns(columns)
      batches.map { batch =>
        val input = Array.tabulate[ColumnVector](batch.numCols)(batch.column)
        hashed.hash(input, batch.numRows)
        counter += batch.numRows
        new ColumnarBatch(input ++ hashed.digests, batch.numRows)
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan =
    copy(child = newChild)
}
